/** Sixty texts that the trunk cannot read: other scripts, symbols, noise. No path acts on any of them. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { loadBundledModels } from "@triptych/decisions";
import { createFixture, type Fixture } from "../support/create-fixture.ts";

const TEXTS = [
  "который час?",
  "какая погода завтра в Москве?",
  "отправь письмо Ивану",
  "удалите мой аккаунт",
  "переведи на английский",
  "напомни мне позвонить маме",
  "найди рейс в Париж",
  "сколько будет два плюс два?",
  "де мій рахунок?",
  "здравей, как си?",
  "私は誰ですか?",
  "今日の天気はどうですか？",
  "メールを送ってください",
  "何時ですか?",
  "アカウントを削除して",
  "パリまでの便を探して",
  "ファイルを開いて",
  "今天天气怎么样？",
  "现在几点?",
  "给妈妈发邮件",
  "删除我的账户",
  "把这个翻译成英文",
  "打开文件",
  "明天七点叫我",
  "τι ώρα είναι;",
  "τι καιρό κάνει στην Αθήνα;",
  "στείλε ένα μήνυμα",
  "διάγραψε τον λογαριασμό μου",
  "πού είναι το δέμα;",
  "μετάφρασε αυτό",
  "ما هو الطقس؟",
  "كم الساعة؟",
  "أرسل بريدا إلى أحمد",
  "احذف حسابي",
  "أين طردي؟",
  "מה השעה?",
  "מה מזג האוויר בתל אביב?",
  "שלח מייל לדני",
  "מחק את החשבון שלי",
  "איפה החבילה שלי?",
  "मौसम कैसा है?",
  "समय क्या हुआ है?",
  "मेरा खाता हटाओ",
  "ईमेल भेजो",
  "อากาศวันนี้เป็นอย่างไร",
  "กี่โมงแล้ว?",
  "ส่งอีเมลถึงแม่",
  "오늘 날씨 어때?",
  "계정을 삭제해 주세요",
  "지금 몇 시야?",
  "???",
  "¿?",
  "!!! ??? ...",
  "🙂🙂?",
  "🔥🔥🔥",
  "😂👍",
  "asdfgh jklqwe zxcvbn?",
  "sdkjfh ksdjfh skdjfh",
  "qqqq wwww eeee",
  "- - - // ##",
];

let fixture: Fixture;
before(async () => void (fixture = await createFixture({ artifacts: loadBundledModels() })));
after(() => fixture[Symbol.asyncDispose]());

const PATHS: readonly (readonly [name: string, body: Readonly<Record<string, unknown>>])[] = [
  ["the default expert", {}],
  ["another expert", { expert: "helpdesk" }],
  ["a list of routes", { options: ["get_weather", "get_time", "send_email"], expert: "tools" }],
  ["described options", { options: { get_weather: "Tells the weather", delete_account: "Deletes the account" } }],
  ["options with parameters", { options: { get_weather: { description: "Tells the weather", parameters: ["city"] } } }],
  ["a remainder", { options: { get_weather: "Tells the weather of a place", other: null } }],
];

for (const [name, more] of PATHS)
  test(`never acts on any of 60 unreadable texts: ${name}`, async () => {
    assert.equal(TEXTS.length, 60);
    for (const state of TEXTS) {
      const response = await fixture.ask("/v1/route", { body: { state, ...more } });
      const { action, reason } = response.json<{ readonly action: string; readonly reason: string }>();
      assert.equal(action, "delegate", state);
      if (!/[a-z]/.test(state)) assert.equal(reason, "out_of_scope", state);
    }
  });

test("abstains from every choice of the compatible API on unreadable texts", async () => {
  const questions = { what: { type: "choice", criteria: { weather: "Tells the weather", time: "Tells the time" } } };
  for (const state of TEXTS.slice(0, 52)) {
    const response = await fixture.ask("/v1/systemone", { body: { state, questions } });
    assert.equal(response.json<{ answers: { what: { abstain: boolean } } }>().answers.what.abstain, true, state);
  }
});
