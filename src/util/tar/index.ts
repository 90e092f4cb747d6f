export { collect, readTar, type TarEntry } from './read-tar.ts';
export { type TarFile, writeTar } from './write-tar.ts';
