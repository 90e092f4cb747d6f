export { trustedAuthorities } from './certificates.ts';
export { NetworkSettingError } from './network-setting-error.ts';
export { type NetworkVariables, type Proxy, proxyFor, readProxy } from './proxy.ts';
export { useTunnel } from './tunnel.ts';
