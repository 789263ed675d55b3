// Loaded when the first message is sent; named here because a bundle finds no names in a package in CommonJS.
export { IncomingWebhook } from '@slack/webhook';
