import { useQueryClient } from '@tanstack/react-query'
import type { Input, Output } from '../../shared/api/operations.ts'
import { useOperation, useVerb } from '../../shared/api/use-operation.ts'
import { threadWords } from '../../shared/format/asker.ts'
import { askAgain } from '../../shared/stream/ask-again.ts'
import { Button } from '../../shared/ui/button.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { Folded } from './folded.tsx'
import { texts } from './texts.ts'

type Rule = Output<'list_rules'>['rules'][number]

/** What agents may do without a question, or never. A person can revoke each rule. */
export function GrantedRules() {
  return (
    <Folded title={texts.activeRules}>
      <Rules />
    </Folded>
  )
}

function Rules() {
  const query = useOperation('list_rules', {})
  return (
    <QueryView query={query} what={texts.theRules}>
      {({ rules }) =>
        rules.length === 0 ? (
          <p className="text-muted py-2">{texts.noActiveRulesThe}</p>
        ) : (
          <ul aria-label={texts.activeRules} className="divide-line divide-y">
            {rules.map((rule) => (
              <RuleRow key={`${rule.grant} ${rule.team} ${rule.decision} ${rule.rule}`} rule={rule} />
            ))}
          </ul>
        )
      }
    </QueryView>
  )
}

function RuleRow({ rule }: { readonly rule: Rule }) {
  const { team, decision, scope, from, thread, grantedAt } = rule
  const { mutate, isPending } = useVerb('revoke_rule')
  const queries = useQueryClient()
  const tell = useNotices()
  const revoke = (): void =>
    mutate(nameOf(rule), {
      onSuccess: () => void askAgain(queries, { queryKey: ['list_rules'] }),
      onError: ({ message, remedy }) => tell(`${message} ${remedy}`, { isTrouble: true }),
    })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-1 py-2">
      <span className={decision === 'allow' ? 'text-good' : 'text-bad'}>{texts.decisions[decision]}</span>
      <code className="min-w-0 wrap-anywhere">{rule.rule}</code>
      <TeamName name={team} />
      <span className="text-muted">
        {scope === 'always'
          ? texts.inConfigYaml
          : texts.whenAsks(from, thread === undefined ? '' : texts.inThread(threadWords(thread)))}
        {grantedAt !== undefined && (
          <>
            {texts.since}
            <TimeSince at={grantedAt} />
          </>
        )}
      </span>
      <Button className="ml-auto" disabled={isPending} onClick={revoke}>
        {texts.revoke}
        <span className="sr-only"> {rule.rule}</span>
      </Button>
    </li>
  )
}

function nameOf({ grant, team, decision, rule }: Rule): Input<'revoke_rule'> {
  return grant === undefined ? { team, decision, rule } : { grant }
}
