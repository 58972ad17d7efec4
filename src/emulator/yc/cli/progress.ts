/** What a waited operation tells on stderr: the seconds gone by, then the time that it took. */
export function progress(seconds: number): string {
  if (seconds === 0) return '';
  const ticks: number[] = [];
  for (let at = 1; at < seconds; at += 5) ticks.push(at);
  return `${ticks.map((tick) => `...${tick}s`).join('')}...done (${duration(seconds)})\n`;
}

/** As Go prints a duration. */
function duration(seconds: number): string {
  return seconds < 60 ? `${seconds}s` : `${Math.floor(seconds / 60)}m${seconds % 60}s`;
}
