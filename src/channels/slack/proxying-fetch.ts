// Loaded where a proxy is configured; named here because a bundle finds no names in a package in CommonJS.
export { EnvHttpProxyAgent, fetch } from 'undici';
