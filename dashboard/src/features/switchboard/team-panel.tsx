import { useState } from 'react'
import { isBusy, standingOf } from '../../../../src/base/protocol/standing.ts'
import { call, type Problem } from '../../shared/api/operations.ts'
import { MessageButton } from '../../shared/message/message-dialog.tsx'
import { Button } from '../../shared/ui/button.tsx'
import { LimitNote } from '../../shared/ui/limit-note.tsx'
import { useNotices } from '../../shared/ui/notices.tsx'
import { TeamName } from '../../shared/ui/team-name.tsx'
import type { Session, Team } from './changes.ts'
import { texts } from './texts.ts'

interface TeamPanelProps {
  readonly team: Team
  readonly sessions: readonly Session[]
}

/** What a team is, and what can be done with all of its processes. */
export function TeamPanel({ team, sessions }: TeamPanelProps) {
  const [isWorking, setWorking] = useState(false)
  const tell = useNotices()
  const own = sessions.filter(({ to, status }) => to === team.name && status !== 'archived')
  const asks = sessions.filter(({ from, status }) => from === team.name && status !== 'archived').length
  const resting = own.filter((session) => session.processState === 'idle' && !isBusy(session))
  const working = own.filter(isBusy).length
  const run = (work: () => Promise<string>): void => {
    setWorking(true)
    work()
      .then(tell, (error: Problem) => tell(`${error.message} ${error.remedy ?? ''}`, { isTrouble: true }))
      .finally(() => setWorking(false))
  }
  const wake = async (): Promise<string> => {
    const { alreadyAwake } = await call('team_wake', { team: team.name })
    return alreadyAwake ? texts.wasAwakeForYou(team.name) : texts.isAwakeForYou(team.name)
  }
  const sleep = async (): Promise<string> => {
    for (const { from, to, thread } of resting) await call('team_sleep', { team: to, fromTeam: from, thread })
    return texts.areAsleep(team.name, resting.length, working)
  }
  return (
    <section
      aria-label={texts.teamPanel(team.name)}
      className="border-line bg-panel flex flex-wrap items-center gap-x-4 gap-y-2 rounded-lg border p-3"
    >
      <div className="min-w-0 flex-1">
        <h2 className="font-semibold">
          <TeamName name={team.name} />
        </h2>
        {team.description !== undefined && <p className="wrap-anywhere">{team.description}</p>}
        <p className="text-muted font-mono text-xs wrap-anywhere">{[team.host, team.path].filter(Boolean).join(':')}</p>
        <LimitNote limitedUntil={team.limitedUntil} limitedBy={team.limitedBy} />
        {team.link !== undefined && team.link.state !== 'unknown' && (
          <p className="text-muted">
            {team.host}: {texts.links[team.link.state]}
            {team.link.why === undefined ? '' : ` (${team.link.why})`}
            {team.link.tunnel?.state === 'open' && texts.tunnelOpen}
            {team.link.tunnel?.state === 'failed' && texts.noTunnel(team.link.tunnel.why)}
          </p>
        )}
        <p className="text-muted">
          {texts.load(own.length, asks, own.filter((session) => standingOf(session) !== 'asleep').length)}
        </p>
      </div>
      <MessageButton team={team.name} />
      {team.terminalCommand !== undefined && (
        <>
          <Button disabled={isWorking} onClick={() => run(wake)}>
            {texts.wake}
          </Button>
          <Button disabled={isWorking || resting.length === 0} onClick={() => run(sleep)}>
            {texts.putToSleep(resting.length)}
          </Button>
        </>
      )}
    </section>
  )
}
