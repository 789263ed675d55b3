// Loaded when an app's channel is used; named here because a bundle finds no names in a package in CommonJS.
export { SocketModeClient } from '@slack/socket-mode';
export { LogLevel, WebClient } from '@slack/web-api';
