// Loaded where a proxy or an authority is configured; named here because a bundler does not find the exports of a CommonJS package.
export { Agent, buildConnector, fetch } from 'undici';
