/** A session as a key, unique over projects. */
export function sessionKey({ projectId, sessionId }: { projectId: string; sessionId: string }): string {
  return `${projectId}/${sessionId}`;
}
