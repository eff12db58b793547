import { spawn } from 'node:child_process'
import { EMPTY, of } from 'rxjs'
import type { Exit } from '../../src/base/lib/program-end.ts'
import type { HostChannel, HostShell } from '../../src/platform/hosts/host.ts'

/** A shell of this machine in place of a host: each `open` starts `argv`, with this environment and no other. */
export function programShell(argv: readonly string[], env: Readonly<Record<string, string>>): HostShell {
  return {
    name: argv.join(' '),
    async open(): Promise<HostChannel> {
      const [file, ...args] = argv
      const child = spawn(file!, args, { env, stdio: 'pipe' })
      await new Promise<void>((resolve, reject) => {
        child.once('spawn', resolve)
        child.once('error', reject)
      })
      child.stdin.on('error', () => {})
      let errors = ''
      const exited = new Promise<Exit>((resolve) => {
        child.once('close', (code, signal) => resolve({ code, signal }))
      })
      return {
        pid: child.pid!,
        status$: of('running'),
        errors$: EMPTY,
        exited,
        stderr: () => errors,
        read(onChunk) {
          child.stdout.on('data', (chunk: Buffer) => {
            const busy = onChunk(chunk)
            if (busy === undefined) return
            child.stdout.pause()
            void busy.finally(() => child.stdout.resume())
          })
        },
        readErrors(onChunk) {
          child.stderr.on('data', (chunk: Buffer) => {
            errors = `${errors}${chunk.toString('latin1')}`.slice(-4096)
            onChunk(chunk)
          })
        },
        write: (text) =>
          new Promise((resolve, reject) => {
            child.stdin.write(text, (error) => (error ? reject(error) : resolve()))
          }),
        // As when a connection is gone: nothing comes any more, and the shell reads the end of its stdin.
        async stop() {
          child.stdin.destroy()
          child.stdout.destroy()
          child.stderr.destroy()
          return exited
        },
      }
    },
  }
}
