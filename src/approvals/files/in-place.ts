import { hasOption, operandsWithout } from './path-argument.ts';

/** Programs that replace the content of their operands, with the options that this takes and those that prevent it. */
type InPlace = { when?: RegExp; unless?: RegExp };

const IMAGES: InPlace = {
  unless:
    /^(?:-l|--list|--version|-n|--dry-run|--pretend|--noaction|-simulate|--stdout|-d\S*|--dest\S*|-out|--out\S*|-dir|--dir\S*)$/,
};
const row = (names: string, program: InPlace): [string, InPlace][] => names.split(' ').map((name) => [name, program]);

const PROGRAMS: ReadonlyMap<string, InPlace> = new Map([
  ...row('mogrify', {}),
  ...row('jpegoptim optipng advpng oxipng jhead exiftran', IMAGES),
  ...row('gifsicle', { when: /^(?:-\w*b\w*|--batch)$/ }),
  ...row('pngquant', { when: /^(?:-f|--force|--ext\S*)$/ }),
  ...row('pngcrush', { when: /^-ow$/ }),
  ...row('exiftool', { when: /^-\w[\w:-]*[-+<^]?=|^-(?:delete_original|overwrite_original\S*|tagsfromfile)/i }),
  ...row('exiv2', { when: /^(?:rm|in|mo|mv|ad|fi|fc|-[dimakM]\S*)$/ }),
  ...row('id3v2 eyeD3 mid3v2 id3tag metaflac vorbiscomment opustags kid3-cli', {
    unless: /^(?:-l|--list\S*|-L|--show\S*|--export\S*|--test)/,
    when: /^-/,
  }),
  ...row('mp3gain aacgain vorbisgain loudgain', { when: /^-\w*[raektg]/ }),
  ...row('qpdf', { when: /^--replace-input$/ }),
  ...row('dos2unix unix2dos mac2unix fromdos todos recode', { unless: /^(?:-n|--newfile|-i|--info)/ }),
  ...row('detox mmv prename perl-rename rename.ul file-rename', { unless: /^(?:-n|--dry-run|--no-act|--nono)/ }),
  ...row('prettier biome eslint stylelint markdownlint ruff isort', {
    when: /^(?:-w|--write|--fix\S*|--apply\S*|format)$/,
    unless: /^(?:--check|-c|--diff|-d)$/,
  }),
  ...row('black autopep8 yapf rustfmt gofmt goimports clang-format shfmt swiftformat', {
    unless: /^(?:--check|--diff|-d|-l|--lint|--dry-run|-n)$/,
  }),
]);

/** Converters with their output file among the operands; the same name as input and output is a change in place. */
const WITH_OUTPUT = /^(?:magick|gm|convert|pandoc|cwebp|gs|pdftk|vips|rsvg-convert|inkscape)$/;

/** The operands that a program replaces in place; empty if it is not such a program. */
export function changedInPlace({ name, args }: Call): string[] {
  if (WITH_OUTPUT.test(name) && !isMogrify(name, args)) return repeated(args);
  return changesInPlace(name, args) ? operandsWithout(args, /^$/) : [];
}

type Call = { name: string; args: readonly string[] };
const isMogrify = (name: string, args: readonly string[]) => /^(?:magick|gm)$/.test(name) && args[0] === 'mogrify';
/** `convert x.png -resize 50% x.png` */
const repeated = (args: readonly string[]) =>
  args.filter((arg, index) => !arg.startsWith('-') && args.indexOf(arg) < index);

/** Whether a program replaces the files in its operands, which may be unknown yet: `xargs mogrify`. */
export function changesInPlace(name: string, args: readonly string[]): boolean {
  if (/^(?:g?sed|perl|ruby)$/.test(name)) return hasOption(args, 'i', /^--in-place/);
  if (isMogrify(name, args)) return true;
  if (WITH_OUTPUT.test(name)) return repeated(args).length > 0;
  const program = PROGRAMS.get(name);
  if (program === undefined) return false;
  const { when, unless } = program;
  return (
    (when === undefined || args.some((arg) => when.test(arg))) &&
    (unless === undefined || !args.some((arg) => unless.test(arg)))
  );
}

/** Whether an option makes an unpacking or converting program replace existing files without asking. */
export function replacesExisting(name: string, args: readonly string[]): boolean {
  switch (name) {
    case 'unzip':
      return hasOption(args, 'o', /^$/);
    case '7z':
    case '7za':
    case '7zz':
      return args.some((arg) => /^-(?:aoa|y)$/.test(arg));
    case 'tar':
    case 'bsdtar':
    case 'gtar':
      return args.some((arg) => /^(?:-\w*U\w*|--(?:overwrite|unlink-first|recursive-unlink)\S*)$/.test(arg));
    case 'ffmpeg':
      return args.includes('-y');
    default:
      return false;
  }
}
