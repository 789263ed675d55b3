// Loaded where a proxy or an authority is configured; named here because a bundle finds no names in a package in CommonJS.
export { Agent, buildConnector, fetch } from 'undici';
