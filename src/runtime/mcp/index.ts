export { inspectServer, type InspectedServer, listServers, type ListedServer } from './inspect-servers.ts';
export { forgetServer, loginAtServer } from './server-login.ts';
