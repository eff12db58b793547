/** Whether a directory of PATH has a project's tools. They may be stubs without the program. */
export function isOfProject(directory: string): boolean {
  return directory.endsWith('/node_modules/.bin')
}

/** Text for an error about a program that is only in a directory of a project's tools; empty if it is in none. */
export function skippedText(program: string | undefined): string {
  return program === undefined ? '' : ` Iris does not use ${program}: it belongs to a project, as one of its tools.`
}
