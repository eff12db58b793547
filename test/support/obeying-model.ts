import type { Script, ToolUse } from '../../src/app/demo/script.ts'
import { spoken } from './world.ts'

const order = /@@(\{.*?\})@@/gs

/** A message that makes an obedient model use these tools, one after the other. */
export function orders(...toolUses: readonly ToolUse[]): string {
  return toolUses.map((use) => `@@${JSON.stringify(use)}@@`).join(' ')
}

/** `refused: ` before the result of a tool that was not run. */
export const obeying: Script = ({ conversation: { lastUserText, toolResults } }) => {
  const ordered = [...spoken(lastUserText).matchAll(order)].map(([, json]) => JSON.parse(json!) as ToolUse)
  const next = ordered[toolResults.length]
  if (next) return { toolUses: [next] }
  const results = toolResults.map(({ text, isError }) => `${isError ? 'refused: ' : ''}${text}`)
  return { text: results.join('\n') || spoken(lastUserText) }
}
