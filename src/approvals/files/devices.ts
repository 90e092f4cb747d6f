/** Disks and their partitions, in the names of Linux, macOS and the BSDs. */
export function isBlockDevice(path: string): boolean {
  return /^\/dev\/(?:r?disk|[shv]d[a-z]|xvd[a-z]|nvme\d|mmcblk|md\d|dm-|mapper\/|loop\d|sr\d|zd\d|nbd\d|ada\d|da\d|disk\/by-)/.test(
    path,
  );
}
