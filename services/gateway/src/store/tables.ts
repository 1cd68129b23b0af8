export interface GatewayTables {
  answer: { name: string; res: string; sealed: string; ends_at: number };
}
