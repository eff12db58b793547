import { plainLine } from '../../../../src/base/lib/plain-line.ts'
import type { Output } from '../../shared/api/operations.ts'
import { useOperation } from '../../shared/api/use-operation.ts'
import { duration } from '../../shared/format/durations.ts'
import { cost, exact, percent } from '../../shared/format/figures.ts'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import { TimeSince } from '../../shared/ui/time-since.tsx'
import { AskedTwiceItem, Decide } from './asked-twice.tsx'
import { Habits } from './habits.tsx'
import { NothingFound } from './nothing-found.tsx'
import { Query, Section, TurnLink } from './section.tsx'
import { texts } from './texts.ts'

type Reflection = Output<'reflect'>
const offsetMinutes = -new Date().getTimezoneOffset()
const ofRules = { apply: texts.add, applyThis: texts.addThis, applied: texts.ruleWasAdded }

/** What a person could improve, judging by the messages of the last 30 days. */
export function InsightScreen() {
  const reflection = useOperation('reflect', {})
  const patterns = useOperation('find_patterns', { offsetMinutes })
  const healings = useOperation('list_healings', { limit: 20 })
  const drift = useOperation('list_drift', { limit: 20 })
  return (
    <Screen title={texts.insight}>
      <QueryView query={reflection} what={texts.theSuggestions}>
        {(found) => (
          <>
            <p className="text-muted">
              {found.isOn
                ? texts.read(exact(found.read.asks), exact(found.read.uses), exact(found.read.questions))
                : texts.reflectionIsOff}
            </p>
            <Saved found={found} />
            {found.weekly !== undefined && (
              <p className="text-muted">
                {texts.weekly} <TimeSince at={found.weekly.at} />: {texts.found(exact(found.weekly.suggestions))}
              </p>
            )}
            {found.isOn && <Suggestions found={found} />}
          </>
        )}
      </QueryView>
      <Habits query={patterns} />
      <QueryView query={drift} what={texts.theOutdatedAnswers}>
        {({ changed, isOn }) => (
          <Section
            title={texts.answersOutOfDate}
            advice={texts.aFileHasChanged}
            off={isOn ? undefined : texts.driftIsOff}
          >
            {changed.map(({ turnId, path, from, to, message, changedAt }) => (
              <li key={`${turnId} ${path}`} className="py-2 wrap-anywhere">
                <span className="font-mono">{path}</span> {texts.changed} <TimeSince at={changedAt} />: {from} → {to},{' '}
                <TurnLink turnId={turnId}>{plainLine(message)}</TurnLink>
              </li>
            ))}
          </Section>
        )}
      </QueryView>
      <QueryView query={healings} what={texts.theFaults}>
        {({ healings: found, isOn }) => (
          <Section title={texts.faults} advice={texts.whatIrisFound} off={isOn ? undefined : texts.healingIsOff}>
            {found.map(({ fault, subject, action, foundAt, healedAt }) => (
              <li key={`${foundAt} ${fault} ${subject}`} className="py-2 wrap-anywhere">
                <TimeSince at={foundAt} /> {fault.replaceAll('_', ' ')}, {subject}: {action}.{' '}
                <span className="text-muted">
                  {healedAt === null ? texts.notHealedYet : texts.healedIn(duration(healedAt - foundAt))}
                </span>
              </li>
            ))}
          </Section>
        )}
      </QueryView>
      <NothingFound reflection={reflection.data} patterns={patterns.data} drift={drift.data} healings={healings.data} />
    </Screen>
  )
}

/** What Iris decided by itself, and what that saved. */
function Saved({ found: { kept, startedAhead, balanced, collisions, toldAtOnce } }: { readonly found: Reflection }) {
  const { starts, used, savedMs } = startedAhead
  return (
    <>
      {kept.times > 0 && (
        <p className="text-muted">{texts.kept(exact(kept.times), cost(kept.costUsd), duration(kept.savedMs))}</p>
      )}
      {starts > 0 && <p className="text-muted">{texts.startedAhead(exact(starts), exact(used), duration(savedMs))}</p>}
      {balanced.kept + balanced.overtaken > 0 && (
        <p className="text-muted">
          {texts.balanced(
            exact(balanced.kept),
            exact(balanced.used),
            duration(balanced.savedMs),
            exact(balanced.overtaken),
          )}
        </p>
      )}
      {collisions.times > 0 && <p className="text-muted">{texts.collided(exact(collisions.times))}</p>}
      {toldAtOnce.times > 0 && <p className="text-muted">{texts.toldAtOnce(exact(toldAtOnce.times))}</p>}
    </>
  )
}

function Suggestions({ found }: { readonly found: Reflection }) {
  return (
    <>
      <Section title={texts.askedRepeatedly} advice={texts.letClaudeMdAnswer}>
        {found.askedTwice.map((asked) => (
          <AskedTwiceItem key={asked.suggestionId} asked={asked} />
        ))}
      </Section>
      <Section title={texts.rulesThatWouldHaveSaved} advice={texts.addTheRule}>
        {found.rules.map(({ suggestionId, team, rule, times, query }) => (
          <li key={suggestionId} className="flex flex-col gap-1.5 py-3">
            <p className="flex flex-wrap items-center gap-x-2">
              <TeamName name={team} /> <code className="font-mono">{rule}</code>
              <span className="text-muted">{texts.questionsAllAllowed(exact(times))}</span>
            </p>
            <Query sql={query} />
            <Decide suggestionId={suggestionId} diff={rule} about={texts.ruleFor(rule, team)} words={ofRules} />
          </li>
        ))}
      </Section>
      <Section title={texts.mostExpensivePairs} advice={texts.whereMostIsSaved}>
        {found.costly.slice(0, 10).map(({ from, to, messages, costUsd, share, query }) => (
          <li key={`${from} ${to}`} className="py-2">
            <p className="flex flex-wrap items-center gap-x-2">
              <TeamName name={from} /> <span className="text-muted">{texts.asks}</span> <TeamName name={to} />
              <span className="ml-auto tabular-nums">
                {texts.costOf(cost(costUsd), percent(share), exact(messages))}
              </span>
            </p>
            <Query sql={query} />
          </li>
        ))}
      </Section>
      <Section title={texts.answersThatContradict} advice={texts.findOutWhichIsRight}>
        {found.contradicted.map(({ to, message, said, saidLater, earlier, later, query }) => (
          <li key={later.turnId} className="py-2 wrap-anywhere">
            <p>
              <TeamName name={to} /> <bdi>{plainLine(message)}</bdi>
            </p>
            <p>
              <TurnLink turnId={earlier.turnId}>{said.join(', ')}</TurnLink>, {texts.later}{' '}
              <TurnLink turnId={later.turnId}>{saidLater.join(', ')}</TurnLink>
            </p>
            <Query sql={query} />
          </li>
        ))}
      </Section>
      <Section title={texts.goingInCircles} advice={texts.lookAtTheMessage}>
        {found.circles.map(({ team, turnId, kind, what, rounds, query }) => (
          <li key={turnId} className="py-2 wrap-anywhere">
            <p>
              <TeamName name={team} /> <TurnLink turnId={turnId}>{kind === 'asks' ? plainLine(what) : what}</TurnLink>,{' '}
              {texts.rounds(rounds)}
            </p>
            <Query sql={query} />
          </li>
        ))}
      </Section>
      <Section title={texts.decided} advice={texts.decidedDoesNotComeBack}>
        {found.decided.map(({ suggestionId, team, kind, subject, decision, decidedAt, askedSince }) => (
          <li key={suggestionId} className="flex flex-wrap items-center gap-x-2 py-2 wrap-anywhere">
            <TeamName name={team} /> {kind === 'claude-md' ? plainLine(subject) : subject}
            <span className="text-muted">
              {texts.decisions[decision]} <TimeSince at={decidedAt} />
              {askedSince !== undefined && texts.askedSince(askedSince)}
            </span>
          </li>
        ))}
      </Section>
    </>
  )
}
