// Preloaded into a program with `--require`: its clock starts at HERMES_TEST_TIME, so that dates and times in its
// output are the same in every run.
const begin = Date.parse(process.env.HERMES_TEST_TIME ?? '');
const RealDate = Date;
const shift = begin - RealDate.now();

if (!Number.isNaN(begin)) {
  globalThis.Date = class extends RealDate {
    constructor(...parts) {
      if (parts.length === 0) super(RealDate.now() + shift);
      else super(...parts);
    }

    static now() {
      return RealDate.now() + shift;
    }
  };
}
