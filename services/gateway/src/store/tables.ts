/** The tables of the migrations, as Kysely sees them. */

export interface GatewayTables {
  answer: { name: string; res: string; sealed: string; ends_at: number };
}
