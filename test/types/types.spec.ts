import { fileURLToPath } from 'node:url';
import ts from 'typescript';

const UNUSED_EXPECTATION = 2578;
const COMPILATION_MS = 60_000;
const here = fileURLToPath(new URL('.', import.meta.url));

interface Compiled {
  /** The claims and all else that is not of the compiler's own. */
  readonly sources: readonly ts.SourceFile[];
  readonly errors: readonly ts.Diagnostic[];
}

/** Files that all projects lead to are read once. */
const read = new Map<string, ts.SourceFile | undefined>();

function hostOf(options: ts.CompilerOptions): ts.CompilerHost {
  const host = ts.createCompilerHost(options);
  const { getSourceFile } = host;
  host.getSourceFile = (name, ...rest) => {
    if (!read.has(name)) read.set(name, getSourceFile(name, ...rest));
    return read.get(name);
  };
  return host;
}

/** Compiles a project against the published types, without those files. */
function compile(project: string, without: RegExp = /$^/): Compiled {
  const path = `${here}${project}/tsconfig.json`;
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(path, (name) => ts.sys.readFile(name)).config,
    ts.sys,
    `${here}${project}`,
    undefined,
    path,
  );
  const program = ts.createProgram(
    fileNames.filter((name) => !without.test(name)),
    options,
    hostOf(options),
  );
  const sources = program.getSourceFiles().filter(({ fileName }) => fileNames.includes(fileName));
  return { sources, errors: ts.getPreEmitDiagnostics(program) };
}

function placeOf({ file, start = 0, messageText }: ts.Diagnostic): string {
  return `${file?.fileName.slice(here.length)}:${lineOf(file, start)} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`;
}

function lineOf(file: ts.SourceFile | undefined, position: number): number {
  return (file?.getLineAndCharacterOfPosition(position).line ?? 0) + 1;
}

/** The lines that expect an error. */
function expectationsIn({ sources }: Compiled): string[] {
  return sources.flatMap((file) =>
    [...file.text.matchAll(/\/\/ @ts-expect-error/g)].map(({ index }) => `${file.fileName}:${lineOf(file, index)}`),
  );
}

test.each(['open', 'mapped', 'example'])(
  "the claims in '%s' about the published types hold",
  (project) => {
    const { sources, errors } = compile(project);
    expect(errors.map(placeOf)).toEqual([]);
    expect(sources.length).toBeGreaterThan(0);
  },
  COMPILATION_MS,
);

test(
  'what the types refuse with a map of the stages, they refuse because of it',
  () => {
    const unmapped = compile('mapped', /\/stages\.ts$/);
    const needless = unmapped.errors
      .filter(({ code }) => code === UNUSED_EXPECTATION)
      .map(({ file, start = 0 }) => `${file?.fileName}:${lineOf(file, start)}`);
    expect(needless.toSorted()).toEqual(expectationsIn(unmapped).toSorted());
    expect(needless.length).toBeGreaterThan(30);
  },
  COMPILATION_MS,
);
