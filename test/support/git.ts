import { execFileSync } from 'node:child_process'

const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgSign=false']

/** As whoever works in a repository has it: no settings of the machine or of its user. */
export function git(cwd: string, ...args: string[]): string {
  const env = { PATH: process.env['PATH'], HOME: '/nonexistent', GIT_CONFIG_NOSYSTEM: '1' }
  return execFileSync('git', [...identity, ...args], { cwd, env, stdio: 'pipe', encoding: 'utf8' })
}

/** Makes a repository of it, in which all its files are committed. */
export function makeRepository(directory: string): void {
  git(directory, 'init', '--quiet')
  git(directory, 'add', '--all')
  git(directory, 'commit', '--quiet', '--allow-empty', '--message=first')
}
