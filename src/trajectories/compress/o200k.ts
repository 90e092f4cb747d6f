// A separate file in the bundle, because its table is larger than the rest of the program.
export { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
