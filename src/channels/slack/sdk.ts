// Loaded when the first message is sent; named here because a bundler does not find the exports of a CommonJS package.
export { IncomingWebhook } from '@slack/webhook';
