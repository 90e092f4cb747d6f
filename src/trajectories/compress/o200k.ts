// A file of its own in the bundle: its table is larger than the rest of the program.
export { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
