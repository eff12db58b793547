/** Whether a directory of PATH has a project's tools. They may be stubs without the program. */
export function isOfProject(directory: string): boolean {
  return directory.endsWith('/node_modules/.bin')
}

/** For an error about a program that is only in such a directory; empty if it is in none. */
export function skippedText(program: string | undefined): string {
  return program === undefined ? '' : ` Iris does not use ${program}: it belongs to a project, as one of its tools.`
}
