// A file of ours, because the build gives a package of this kind no named exports where it is imported on demand.
export { parse } from 'yaml';
