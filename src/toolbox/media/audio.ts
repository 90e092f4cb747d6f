/** Forms of sound files, by the ending of their names. */
export const AUDIO_FORMATS = ['mp3', 'wav', 'ogg', 'flac', 'aac'] as const;
export type AudioFormat = (typeof AUDIO_FORMATS)[number];

/** The form that a name asks for: undefined where it has no ending, `unknown` where nobody knows it. */
export function wantedFormat(path: string | undefined): AudioFormat | 'unknown' | undefined {
  const ending = /\.([A-Za-z0-9]+)$/.exec(path ?? '')?.[1]?.toLowerCase();
  if (ending === undefined) return undefined;
  if (ending === 'opus' || ending === 'oga') return 'ogg';
  return AUDIO_FORMATS.find((format) => format === ending) ?? 'unknown';
}

/** What sound a file is by its first bytes; undefined where it is none. */
export function audioType(bytes: Uint8Array): AudioFormat | undefined {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1');
  if (head.startsWith('RIFF') && head.startsWith('WAVE', 8)) return 'wav';
  if (head.startsWith('OggS')) return 'ogg';
  if (head.startsWith('fLaC')) return 'flac';
  if (head.startsWith('ID3')) return 'mp3';
  const [first = 0, second = 0] = bytes;
  // Eleven bits begin every frame; the layer that follows is zero in AAC only.
  if (first !== 0xff || (second & 0xe0) !== 0xe0) return undefined;
  return (second & 0x06) === 0 ? 'aac' : 'mp3';
}

/** Plain samples of 16 bits in one channel, as a file that programs can play. */
export function wavOf(samples: Uint8Array, rate: number): Uint8Array {
  const head = Buffer.alloc(44);
  head.write('RIFF', 0, 'latin1');
  head.writeUInt32LE(36 + samples.length, 4);
  head.write('WAVEfmt ', 8, 'latin1');
  head.writeUInt32LE(16, 16);
  head.writeUInt16LE(1, 20);
  head.writeUInt16LE(1, 22);
  head.writeUInt32LE(rate, 24);
  head.writeUInt32LE(rate * 2, 28);
  head.writeUInt16LE(2, 32);
  head.writeUInt16LE(16, 34);
  head.write('data', 36, 'latin1');
  head.writeUInt32LE(samples.length, 40);
  return Buffer.concat([head, samples]);
}
