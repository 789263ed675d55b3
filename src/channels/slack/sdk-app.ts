// Loaded when an app's channel is used; named here because a bundler does not find the exports of a CommonJS package.
export { SocketModeClient } from '@slack/socket-mode';
export { LogLevel, WebClient } from '@slack/web-api';
