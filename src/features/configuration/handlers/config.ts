import type { z } from 'zod'
import type { Clock } from '../../../base/lib/clock.ts'
import type { Call } from '../../../kernel/call/call.ts'
import { actorOf } from '../../../kernel/call/principal.ts'
import type { Config } from '../../../platform/config/config.ts'
import { inForce, schemaOfConfig } from '../../../platform/config/described.ts'
import type { ConfigEditor } from '../../../platform/config/editor.ts'
import { placeholder } from '../../../platform/config/masked-text.ts'
import type { Audit } from '../../audit/rows/audit.ts'
import type { checkConfig, getConfig, saveConfig } from '../contract.ts'

/** The dependencies of these operations. */
export interface ConfigParts {
  readonly config: () => Config
  /** Why the current config.yaml is not in force; undefined if it is. */
  readonly configProblem: () => string | undefined
  /** Keys of config.yaml whose new value takes effect only after a restart. */
  readonly needsRestart: () => readonly string[]
  readonly configEditor: ConfigEditor
  readonly clock: Clock
  readonly audit: Audit
}

type In<Operation extends { input: z.ZodType }> = z.output<Operation['input']>
type Out<Operation extends { output: z.ZodType }> = z.output<Operation['output']>

export async function get({
  config,
  configProblem,
  configEditor,
  needsRestart,
  clock,
}: ConfigParts): Promise<Out<typeof getConfig>> {
  const problem = configProblem()
  return {
    ...(await configEditor.read()),
    placeholder,
    ...(problem !== undefined && { problem }),
    needsRestart: [...needsRestart()],
    schema: schemaOfConfig(),
    ...(await inForce(config())),
    timestamp: clock.now(),
  }
}

export async function check(
  { text }: In<typeof checkConfig>,
  { configEditor, clock }: ConfigParts,
): Promise<Out<typeof checkConfig>> {
  const { problems, changes } = await configEditor.check(text)
  return { problems: [...problems], changes: [...changes], timestamp: clock.now() }
}

export async function save(
  { text, hash }: In<typeof saveConfig>,
  { auth }: Call,
  { configEditor, audit, clock }: ConfigParts,
): Promise<Out<typeof saveConfig>> {
  const saved = await configEditor.save(text, hash)
  const keys = saved.changes.map(({ key }) => key)
  const [actor, detail] = [actorOf(auth.principal), { keys, hash: saved.hash }]
  audit.record({ at: clock.now(), actor, action: 'config.changed', subject: 'config.yaml', detail })
  return { hash: saved.hash, changes: [...saved.changes], timestamp: clock.now() }
}
