import type { Output } from '../../../adapters/client/tool-call.ts'
import { columns, indentedColumns } from '../../../app/cli/columns.ts'
import { localTime, localTimes } from '../../../app/cli/moment.ts'
import { limitWords, windowWords } from '../../../base/protocol/limit.ts'
import { askerName } from '../../../base/protocol/pair.ts'

type Usage = Output<'get_usage'>

export function usageLines({ accounts, pairs, since }: Usage, width: number): readonly string[] {
  const used = pairs.map(({ from, to, messages, inputTokens, outputTokens, costUsd }) => [
    `${askerName(from)} → ${to}`,
    ...[messages, inputTokens, outputTokens].map((count) => count.toLocaleString('en')),
    `$${costUsd.toFixed(2)}`,
  ])
  const head = ['', 'messages', 'tokens in', 'tokens out', 'cost']
  return [
    ...(accounts.length === 0
      ? ['Claude Code has reported no limits yet.']
      : accounts.flatMap((account) => accountLines(account, width))),
    '',
    used.length === 0 ? `No messages since ${localTime(since)}.` : `Since ${localTime(since)}:`,
    ...(used.length === 0 ? [] : columns(width, [head, ...used])),
  ]
}

function accountLines(
  { teams, windows, limitedUntil, limitedBy }: Usage['accounts'][number],
  width: number,
): readonly string[] {
  const limit = limitedUntil === undefined ? '' : `: ${limitWords(limitedBy, limitedUntil, localTimes())}`
  return [
    `Account of ${teams.join(', ')}${limit}`,
    ...(windows.length === 0 && limit === '' ? ['  no limits reported'] : []),
    ...indentedColumns(
      width,
      windows.map(({ name, utilization, resetsAt }) => [
        windowWords(name),
        `${Math.round(utilization * 100)} % used`,
        `resets ${localTime(resetsAt)}`,
      ]),
    ).map((line) => `  ${line}`),
  ]
}
