import type { DiffProblem, FileProblem } from './helper-protocol.ts'

/**
 * Why a project's file cannot be used, in words, on any machine. `mostBytes`: the limit, for a file that is too large.
 */
export function problemText(problem: FileProblem, mostBytes = 0): string {
  switch (problem) {
    case 'outside':
      return 'it is a link that leads out of the project'
    case 'no-file':
      return 'it is not a file'
    case 'too-large':
      return `it is larger than ${mostBytes} bytes`
    case 'no-utf8':
      return 'it is not text in UTF-8'
    case 'unreadable':
      return 'it cannot be read'
    case 'unwritable':
      return 'it cannot be written'
  }
}

/** For a file that is requested by its path, which may lead out of the project even without a link. */
export const outsideText = 'it is outside of the project'

/** How long one run of git may take, on any machine. */
export const gitSeconds = 5

/** Why there is no diff of a project, in words. */
export const diffProblemTexts: Readonly<Record<DiffProblem, string>> = {
  'no-git': 'git is not installed on its machine',
  'no-repository': 'not a git repository, or one that git refuses to read',
  elsewhere: 'the work tree is elsewhere',
  'no-commit': 'nothing has been committed yet',
  'unreadable-config': 'its configuration cannot be read',
  slow: `git took over ${gitSeconds} s`,
  failed: 'git failed',
}
