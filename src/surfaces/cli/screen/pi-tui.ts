// All imports of this package go through this file. It imports single modules, because the index of the package loads
// all of them.
export { Editor } from '@earendil-works/pi-tui/dist/components/editor.js';
export type { AutocompleteProvider } from '@earendil-works/pi-tui/dist/autocomplete.js';
export { fuzzyFilter } from '@earendil-works/pi-tui/dist/fuzzy.js';
export { decodeKittyPrintable, isKeyRelease, matchesKey } from '@earendil-works/pi-tui/dist/keys.js';
export { ProcessTerminal } from '@earendil-works/pi-tui/dist/terminal.js';
export { CURSOR_MARKER, type TUI } from '@earendil-works/pi-tui/dist/tui.js';
export { parseOsc11BackgroundColor } from '@earendil-works/pi-tui/dist/terminal-colors.js';
export { truncateToWidth, wrapTextWithAnsi } from '@earendil-works/pi-tui/dist/utils.js';
