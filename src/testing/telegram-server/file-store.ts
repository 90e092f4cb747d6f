/** The files of a fake Telegram, by id. */
export type FileStore = {
  add(bytes: Uint8Array, name?: string): string;
  get(id: string): { path: string; size: number } | undefined;
  read(path: string): Uint8Array | undefined;
};

export function createFileStore(): FileStore {
  const files = new Map<string, { path: string; bytes: Uint8Array }>();
  return {
    add(bytes, name = 'file.bin') {
      const number = files.size + 1;
      const id = `file-${number}`;
      files.set(id, { path: `files/${number}-${name}`, bytes });
      return id;
    },
    get(id) {
      const file = files.get(id);
      return file && { path: file.path, size: file.bytes.length };
    },
    read: (path) => [...files.values()].find((file) => file.path === path)?.bytes,
  };
}
