export {
  forgetServer,
  type InspectedServer,
  inspectServer,
  type ListedServer,
  listServers,
  loginAtServer,
} from './inspect-servers.ts';
