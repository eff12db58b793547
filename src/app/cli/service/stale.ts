import { existsSync, readFileSync } from 'node:fs'
import type { Finding } from '../../../base/protocol/finding.ts'
import type { Environment } from '../../../platform/config/home.ts'
import { mainFile } from '../spawn-daemon.ts'
import { isServiceOf, managerOf } from './manager.ts'

const check = 'service'
const remedy = 'iris service install'

/** Checks that the service starts this Iris for this home; undefined where there is no service. */
export function serviceFinding(home: string, env: Environment): Finding | undefined {
  const { file, name } = managerOf(env)
  if (!existsSync(file)) return undefined
  const text = readFileSync(file, 'utf8')
  const gone = absolutePaths(text).find((path) => !existsSync(path))
  if (gone !== undefined)
    return { check, state: 'warn', detail: `${file} starts ${gone}, which no longer exists`, remedy }
  if (!text.includes(mainFile)) return { check, state: 'warn', detail: `${file} starts another Iris`, remedy }
  if (!isServiceOf({ file }, home)) return { check, state: 'warn', detail: `${file} is for another IRIS_HOME`, remedy }
  return { check, state: 'ok', detail: `${name} starts this Iris (${file})` }
}

/** The absolute paths of program and main file, in systemd's `ExecStart=` or launchd's `<string>`s. */
function absolutePaths(text: string): readonly string[] {
  const line = /^ExecStart=(.*)$/m.exec(text)?.[1]
  const words = line?.split(' ') ?? [...text.matchAll(/<string>([^<]*)<\/string>/g)].map(([, word]) => word!)
  return words.filter((word) => word.startsWith('/') && !word.includes(':'))
}
