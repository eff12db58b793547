import { Link } from '@tanstack/react-router'
import { useOperation } from '../../shared/api/use-operation.ts'
import { Badge, type Tone } from '../../shared/ui/badge.tsx'
import { QueryView } from '../../shared/ui/query-view.tsx'
import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'
import type { Channel } from './channel.ts'
import { ChannelPeople } from './channel-people.tsx'
import { ChannelTest } from './channel-test.tsx'
import { texts } from './texts.ts'

/** Channels publish no events, so the list is requested again at this interval, in milliseconds. */
const askAgainMs = 5000

const tones: Readonly<Record<Channel['link']['state'], Tone>> = {
  connecting: 'busy',
  connected: 'good',
  retrying: 'warn',
  refused: 'bad',
  off: 'plain',
}

/** The channels of config.yaml: whether each is connected, who may write, who asks to. */
export function ChannelsScreen() {
  const query = useOperation('list_channels', {}, { askAgainMs })
  return (
    <Screen title={texts.channels}>
      <QueryView query={query} what={texts.theChannels}>
        {({ channels }) =>
          channels.length === 0 ? (
            <Empty title={texts.thereAreNone}>{texts.thereAreNoneWhy}</Empty>
          ) : (
            channels.map((channel) => <ChannelCard key={channel.name} channel={channel} />)
          )
        }
      </QueryView>
    </Screen>
  )
}

function ChannelCard({ channel }: { readonly channel: Channel }) {
  const { name, platform, team, role, link, messages, posts, failures, moved } = channel
  const counts = Object.entries({ ...messages, ...posts }).filter(([, count]) => count > 0)
  return (
    <section aria-label={name} className="border-line bg-panel flex flex-col gap-3 rounded-lg border p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <h2 className="font-semibold">{name}</h2>
        <Badge tone={tones[link.state]}>{texts.links[link.state]}</Badge>
        <span className="text-muted min-w-0 wrap-anywhere">
          {platform} {link.as ?? ''} · {texts.to(team, role)}
        </span>
      </div>
      {link.why !== undefined && <p className="text-bad wrap-anywhere first-letter:uppercase">{link.why}</p>}
      {link.state === 'refused' && (
        <p className="text-muted">
          {texts.putItRight(name)}{' '}
          <Link to="/configuration" className="text-accent underline">
            {texts.openConfiguration}
          </Link>
        </p>
      )}
      {link.catchingUp !== undefined && (
        <p className="text-muted">{texts.catchingUp(link.catchingUp.read, link.catchingUp.of)}</p>
      )}
      <ChannelPeople channel={channel} />
      {counts.length > 0 && (
        <p className="text-muted text-xs">
          {texts.soFar}:{' '}
          {counts.map(([what, count]) => `${count} ${texts.counts[what as keyof typeof texts.counts]}`).join(', ')}
        </p>
      )}
      {moved.map(({ from, to, remedy }) => (
        <p key={from} className="text-bad text-xs wrap-anywhere">
          {texts.movedTo(from, to)} {remedy}
        </p>
      ))}
      {failures.map(({ chat, why, isOver }) => (
        <p key={chat} className={`${isOver ? 'text-muted' : 'text-bad'} text-xs wrap-anywhere`}>
          {texts.failedIn(chat, why, isOver)}
        </p>
      ))}
      <ChannelTest name={name} />
    </section>
  )
}
