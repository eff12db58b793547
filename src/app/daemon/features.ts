import { accounts } from '../../features/accounts/feature.ts'
import { agents } from '../../features/agents/feature.ts'
import { attachments } from '../../features/attachments/feature.ts'
import { audit } from '../../features/audit/feature.ts'
import { budgets } from '../../features/budgets/feature.ts'
import { channels } from '../../features/channels/feature.ts'
import { cluster } from '../../features/cluster/feature.ts'
import { configuration } from '../../features/configuration/feature.ts'
import { conversations } from '../../features/conversations/feature.ts'
import { events } from '../../features/events/feature.ts'
import { inbox } from '../../features/inbox/feature.ts'
import { insight } from '../../features/insight/feature.ts'
import { late } from '../../features/late/feature.ts'
import { live } from '../../features/live/feature.ts'
import { messages } from '../../features/messages/feature.ts'
import { operator } from '../../features/operator/feature.ts'
import { outbox } from '../../features/outbox/feature.ts'
import { permission } from '../../features/permission/feature.ts'
import { retry } from '../../features/retry/feature.ts'
import { roles } from '../../features/roles/feature.ts'
import { schedules } from '../../features/schedules/feature.ts'
import { search } from '../../features/search/feature.ts'
import { takeOver } from '../../features/take-over/feature.ts'
import { teams } from '../../features/teams/feature.ts'
import { tokens } from '../../features/tokens/feature.ts'
import { traces } from '../../features/traces/feature.ts'
import { transcripts } from '../../features/transcripts/feature.ts'
import { triggers } from '../../features/triggers/feature.ts'
import { typed } from '../../features/typed/feature.ts'
import { Composition } from '../../kernel/call/composition.ts'
import { health } from '../../views/health/feature.ts'
import { inboxList } from '../../views/inbox/feature.ts'
import { switchboard } from '../../views/switchboard/feature.ts'
import { usage } from '../../views/usage/feature.ts'
import type { Kernel } from './kernel.ts'

/** All features, each after those whose parts it uses; the views last. To leave one out, delete its line. */
export function openFeatures(kernel: Kernel, leftOut?: ReadonlySet<string>) {
  return new Composition(kernel, leftOut)
    .with(audit)
    .with(roles)
    .with(accounts)
    .with(budgets)
    .with(typed)
    .with(takeOver)
    .with(search)
    .with(permission)
    .with(events)
    .with(late)
    .with(live)
    .with(attachments)
    .with(insight)
    .with(traces)
    .with(transcripts)
    .with(conversations)
    .with(operator)
    .with(configuration)
    .with(cluster)
    .with(teams)
    .with(tokens)
    .with(outbox)
    .with(inbox)
    .with(schedules)
    .with(messages)
    .with(retry)
    .with(agents)
    .with(channels)
    .with(triggers)
    .with(usage)
    .with(switchboard)
    .with(inboxList)
    .with(health)
}
