import { commandReadings } from './command-readings.ts'
import { hostOf, isOfDomain, matchesBelow, nameOf } from './covers.ts'
import type { Rule } from './rule.ts'
import { inputText, type Place, pathOf, realPathIn, type ToolUse } from './tool-use.ts'

/** Tools whose `command` a shell runs. */
const runsCommands: ReadonlySet<string> = new Set(['Bash', 'Monitor'])

/**
 * The first rule that denies a tool use. For a command, checks every part, including parts inside quotes, substitutions
 * and programs that start others. It is best effort: a shell has more ways to write a command than any parser knows.
 */
export function deniedBy(rules: readonly Rule[], use: ToolUse, place: Place): Rule | undefined {
  if (rules.length === 0) return undefined
  const isCommand = runsCommands.has(use.toolName)
  const reads = isCommand && rules.some(({ kind }) => kind === 'command')
  const readings = reads ? commandReadings(inputText(use, 'command') ?? '') : []
  const isOfPaths = rules.some((rule) => rule.kind === 'path' && rule.tools.has(use.toolName))
  const given = isOfPaths ? pathOf(use, place) : undefined
  const paths = given === undefined ? [] : [...new Set([given, realPathIn(place, given) ?? given])]
  return rules.find((rule) => {
    switch (rule.kind) {
      case 'tool':
        return rule.isTool(use.toolName)
      case 'command':
        return isCommand && (readings?.some((command) => rule.pattern.matches(command)) ?? true)
      case 'path':
        return rule.tools.has(use.toolName) && paths.some((path) => matchesBelow(rule.pattern, path, place))
      case 'domain':
        return use.toolName === 'WebFetch' && isOfDomain(rule.domain, hostOf(use))
      case 'name':
        return rule.tools.has(use.toolName) && rule.isName(nameOf(use))
    }
  })
}
