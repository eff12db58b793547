import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { accountLimits } from '../../src/features/accounts/rows.ts'
import { audit } from '../../src/features/audit/rows/audit-trail.ts'
import { channelPeople } from '../../src/features/channels/rows/channel-people.ts'
import { channelPosts } from '../../src/features/channels/rows/channel-posts.ts'
import { channelMessages } from '../../src/features/channels/rows/channels.ts'
import * as cluster from '../../src/features/cluster/rows/cluster.ts'
import { clusterBegun } from '../../src/features/cluster/rows/cluster-begun.ts'
import { healings } from '../../src/features/insight/rows/healings.ts'
import { keptAnswers } from '../../src/features/insight/rows/kept-answers.ts'
import { reflectionRuns } from '../../src/features/insight/rows/reflection-runs.ts'
import { suggestions } from '../../src/features/insight/rows/suggestions.ts'
import { callbackCursors, callbackDeliveries } from '../../src/features/outbox/rows.ts'
import { grants } from '../../src/features/permission/rows/permission-grants.ts'
import { permissions } from '../../src/features/permission/rows/permissions.ts'
import { triggerSeen } from '../../src/features/triggers/rows.ts'
import { answerFiles } from '../../src/platform/store/answer-files.ts'
import { compactions } from '../../src/platform/store/compactions.ts'
import { makeTables } from '../../src/platform/store/database.ts'
import { journal, journalEpochs } from '../../src/platform/store/journal.ts'
import { notices } from '../../src/platform/store/notices.ts'
import { openAgents } from '../../src/platform/store/open-agents.ts'
import { reports, reportTools } from '../../src/platform/store/reports.ts'
import { sessions } from '../../src/platform/store/sessions.ts'
import { steers } from '../../src/platform/store/steers.ts'
import { type Columns, namesOf, type Table } from '../../src/platform/store/table.ts'
import { toolStarts } from '../../src/platform/store/tool-starts.ts'
import { sharedBudgets } from '../../src/platform/store/trees.ts'
import { turns } from '../../src/platform/store/turns.ts'

const ofStore = [answerFiles, compactions, notices, openAgents, reports, reportTools, sessions, sharedBudgets, steers]
const { clusterAsks, clusterCancels, clusterHosts, clusterMembers, clusterMoves } = cluster
const ofCluster = [clusterAsks, clusterBegun, clusterCancels, clusterHosts, clusterMembers, clusterMoves]
const ofInsight = [healings, keptAnswers, reflectionRuns, suggestions]
const ofJournal = [journal, journalEpochs]
const ofOutbox = [callbackCursors, callbackDeliveries]
const ofFeatures = [accountLimits, audit, channelMessages, channelPeople, channelPosts, grants, permissions]
const tables: readonly Table<Columns>[] = [
  ...ofStore,
  toolStarts,
  turns,
  ...ofCluster,
  ...ofInsight,
  ...ofJournal,
  ...ofOutbox,
  ...ofFeatures,
  triggerSeen,
]

test.each(tables)('the description of $name has every column of the table, and no other', ({ name, columns }) => {
  using store = new DatabaseSync(':memory:')
  makeTables(store)
  const stored = store.prepare('SELECT name FROM pragma_table_info(?)').all(name)
  expect(new Set(namesOf(columns))).toEqual(new Set(stored.map((column) => column['name'])))
})
