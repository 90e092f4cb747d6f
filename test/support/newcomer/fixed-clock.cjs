// Loaded into a program with `--require`: its calendar begins at HERMES_TEST_TIME and goes on from there, so that what it
// says about days and hours is the same whenever a test runs.
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
