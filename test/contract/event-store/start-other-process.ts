import { join } from 'node:path';

/** Starts `other-process.ts` and reads its output by lines. It ends with the test. */
export function otherProcess(task: 'hold' | 'append' | 'count' | 'snapshot', directory: string) {
  const program = join(import.meta.dir, 'other-process.ts');
  const child = Bun.spawn([process.execPath, program, task, directory], {
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'inherit',
  });
  const reader = child.stdout.getReader();
  const decoder = new TextDecoder();
  const kill = async (): Promise<void> => {
    child.kill('SIGKILL');
    await child.exited;
  };
  let text = '';
  return {
    /** The next line; null after the process has ended. */
    async line(): Promise<string | null> {
      while (!text.includes('\n')) {
        const { done, value } = await reader.read();
        if (done) return null;
        text += decoder.decode(value, { stream: true });
      }
      const line = text.slice(0, text.indexOf('\n'));
      text = text.slice(line.length + 1);
      return line;
    },
    kill,
    [Symbol.asyncDispose]: kill,
  };
}
