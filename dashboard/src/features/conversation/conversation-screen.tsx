import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'

export function ConversationScreen() {
  return (
    <Screen title="Conversation">
      <Empty title="This screen is not built yet." />
    </Screen>
  )
}
