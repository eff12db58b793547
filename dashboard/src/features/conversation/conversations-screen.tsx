import { Screen } from '../../shared/ui/screen.tsx'
import { Empty } from '../../shared/ui/states.tsx'

export function ConversationsScreen() {
  return (
    <Screen title="Conversations">
      <Empty title="This screen is not built yet." />
    </Screen>
  )
}
