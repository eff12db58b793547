import { isRecord } from '../lib/is-record.ts'
import { isRule } from './rule.ts'

/** The allow rules that Claude Code suggests with a question, as distinct texts. Skips invalid rules. */
export function suggestedRules(suggestions: readonly unknown[]): string[] {
  const offered = suggestions.flatMap((one) => {
    if (!isRecord(one) || one['type'] !== 'addRules' || one['behavior'] !== 'allow') return []
    return Array.isArray(one['rules']) ? one['rules'].map(textOf) : []
  })
  return [...new Set(offered.flatMap((text) => (text !== undefined && isRule(text) ? [text] : [])))]
}

function textOf(rule: unknown): string | undefined {
  if (!isRecord(rule) || typeof rule['toolName'] !== 'string') return undefined
  const content = rule['ruleContent']
  if (typeof content !== 'string') return rule['toolName']
  return `${rule['toolName']}(${content.replace(/[\\()]/g, '\\$&')})`
}
