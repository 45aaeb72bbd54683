/** What went well and what did not. Each check is a sentence, one line; a failed one says why. */
export class Report {
  passed = 0;
  failed = 0;

  /**
   * Runs one part of the test and prints its lines when it has ended, so that parts may run side by side.
   * `work` is handed `check(sentence, passed, detail)` and `step(sentence, work)`, a check that fails when its work throws and
   * then ends the part. Anything else that is thrown is a failure of the part.
   */
  async part(name, work) {
    const lines = [];
    const check = (sentence, passed, detail) => {
      this[passed ? 'passed' : 'failed']++;
      lines.push(passed ? `ok - ${name}: ${sentence}` : `not ok - ${name}: ${sentence}\n  ${detail}`);
    };
    let told;
    const step = async (sentence, action) => {
      try {
        const result = await action();
        check(sentence, true);
        return result;
      } catch (error) {
        check(sentence, false, textOf(error));
        told = error;
        throw error;
      }
    };
    try {
      return await work({ check, step });
    } catch (error) {
      if (error !== told) check('it runs to its end', false, textOf(error));
      return undefined;
    } finally {
      console.log(lines.join('\n'));
    }
  }
}

function textOf(error) {
  // The message of a command that failed holds what it wrote to stderr.
  return [error.message, error.stdout].filter(Boolean).join('\n');
}
