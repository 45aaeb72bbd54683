/* oxlint-disable unicorn/no-thenable -- objects that only look like promises are what these tests are about */

type Then = (resolve: (value: unknown) => void, reject: (reason: unknown) => void) => void;

/** What `await` takes for a promise, answering as `then` does. */
export const thenable = (then: Then): object => ({ then });

/** An object that throws when somebody looks whether it is a promise. */
export const withoutAnswer = (error: Error): object => ({
  get then(): unknown {
    throw error;
  },
});
