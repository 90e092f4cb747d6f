export {
  forgetServer,
  type InspectedServer,
  inspectServer,
  type ListedServer,
  listServers,
  loginAtServer,
} from './inspect-servers.ts';
export { type OpenedServers, openSessionServers } from './open-servers.ts';
