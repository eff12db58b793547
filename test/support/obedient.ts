import type { Script } from '../../src/app/demo/script.ts'
import { spoken } from './world.ts'

/** Obeys whoever writes to it: `run <command>`, `read <file>`, `say <words>`. Answers with what came of it. */
export const obedient: Script = ({ conversation: { lastUserText, toolResults } }) => {
  const result = toolResults[0]
  if (result !== undefined) return { text: result.text }
  const [verb, rest = ''] = spoken(lastUserText).split(/ (.*)/s)
  if (verb === 'say') return { text: rest }
  if (verb === 'read') return { toolUses: [{ name: 'Read', input: { file_path: rest } }] }
  return { toolUses: [{ name: 'Bash', input: { command: rest, description: 'obey' } }] }
}
