/** Key of the payload in the first record of a document. */
export const CONTENT = 'CONTENT';
/** Key of the entity in the first record of a document. */
export const ENTITY = 'ENTITY';
/** Key of the list of exceptions in the first record of a document. */
export const EXCEPTIONS = 'EXCEPTIONS';
