import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { claudeBinary } from './real-claude.ts'
import { scratchDirectory } from './scratch.ts'

/** Docker's namespaces without docker: separate process ids, /tmp and home. */
export interface Container extends AsyncDisposable {
  /** For `remote` of a team: it enters as `docker exec -i web sh` does. */
  readonly remote: string
  readonly home: string
  directory(name: string): string
}

export async function startContainer(env: Readonly<Record<string, string>>): Promise<Container> {
  const scratch = scratchDirectory()
  const home = join(scratch.path, 'home')
  mkdirSync(join(home, '.local/bin'), { recursive: true })
  symlinkSync(claudeBinary('2.1.330'), join(home, '.local/bin/claude'))
  const user = process.geteuid!() === 0 ? [] : ['--user', '--map-root-user']
  const inner = ['sh', '-c', 'echo ready; exec sleep 100000']
  const child = spawn('unshare', [...user, '--mount', '--pid', '--fork', '--kill-child', '--mount-proc', ...inner], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  const first = execFileSync('ps', ['-o', 'pid=', '--ppid', String(child.pid)], { encoding: 'utf8' }).trim()
  const enter = join(scratch.path, 'enter')
  const words = Object.entries({ ...env, HOME: home, PATH: '/usr/bin:/bin' }).map(
    ([name, value]) => `${name}='${value}'`,
  )
  const namespaces = user.length === 0 ? '--mount --pid' : '--user --preserve-credentials --mount --pid'
  writeFileSync(enter, `#!/bin/sh\nexec nsenter --target ${first} ${namespaces} env -i ${words.join(' ')} "$@"\n`, {
    mode: 0o755,
  })
  return {
    remote: `${enter} sh`,
    home,
    directory(name) {
      const path = join(scratch.path, 'containers', name)
      mkdirSync(path, { recursive: true })
      return path
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL')
      await once(child, 'exit')
      scratch[Symbol.dispose]()
    },
  }
}
