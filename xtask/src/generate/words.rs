//! The words generated skills are made of: trades, common words, and a long tail.

use super::random::Random;

/// One field of work: what is handled, what is done to it, with what.
#[derive(Debug)]
pub(crate) struct Trade {
    /// One word for the field, used as a tag.
    pub(crate) name: &'static str,
    /// Things that are worked on.
    pub(crate) things: &'static [&'static str],
    /// Words that only this field uses.
    pub(crate) jargon: &'static [&'static str],
}

macro_rules! words {
    ($($word:ident)*) => { &[$(stringify!($word)),*] };
}

macro_rules! trades {
    ($($name:ident: $($thing:ident)* / $($jargon:ident)*;)*) => {
        &[$(Trade { name: stringify!($name), things: words!($($thing)*), jargon: words!($($jargon)*) }),*]
    };
}

/// Every field of work; each generated skill belongs to one.
pub(crate) const TRADES: &[Trade] = trades! {
    plumbing: pipe valve boiler drain faucet radiator pump cistern / solder flange siphon backflow leak pressure descale gasket;
    documents: pdf form page signature bookmark watermark annotation scan / glyph ocr outline linearize redact flatten margin font;
    releases: changelog version tag milestone branch artifact note package / semver bump cherrypick hotfix rollout deprecate backport canary;
    incidents: alert pager outage runbook timeline postmortem escalation status / severity mitigate oncall blackout rollback throttle failover saturation;
    databases: query index table migration schema replica column transaction / vacuum deadlock cardinality partition normalize upsert cursor shard;
    finance: invoice ledger receipt budget payment account forecast expense / accrual reconcile depreciation withholding currency audit variance quarter;
    frontend: component layout button stylesheet form router animation theme / hydrate flexbox viewport accessibility bundle breakpoint reducer tooltip;
    testing: test fixture snapshot assertion suite mock scenario coverage / flaky regression parametrize stub mutation harness golden bisect;
    security: secret token certificate permission policy firewall session key / phishing entropy sandbox injection rotate threat exploit revoke;
    gardening: seedling hedge lawn compost greenhouse orchard bulb trellis / prune graft mulch germinate aphid perennial irrigation acidity;
    kitchen: recipe dough sauce menu pantry broth dessert marinade / simmer knead braise caramelize poach allergen portion yeast;
    travel: itinerary flight hotel visa luggage train booking border / layover fare passport timezone stopover refund transfer boarding;
    health: symptom dosage appointment prescription diet vaccine therapy chart / triage chronic allergy referral dosage intake contraindication recovery;
    law: contract clause notice license claim filing agreement consent / indemnify jurisdiction statute amendment liability arbitration breach waiver;
    hiring: resume interview candidate offer onboarding referral rubric role / screening shortlist probation reference seniority compensation panel debrief;
    teaching: lesson quiz syllabus exercise grade lecture worksheet curriculum / rubric pupil homework assessment pedagogy semester tutor literacy;
    networking: router packet gateway subnet socket proxy tunnel switch / latency jitter handshake multicast dns routing bandwidth congestion;
    containers: image cluster pod registry volume namespace chart manifest / ingress sidecar orchestrate evict autoscale probe taint rollout;
    data: dataset pipeline dashboard metric notebook chart feature stream / outlier impute aggregate lineage histogram sampling drift correlation;
    audio: track mix podcast sample microphone transcript melody subtitle / equalizer reverb loudness tempo mastering clipping waveform chorus;
    images: photo logo icon palette sprite thumbnail mask layer / exposure dither vector crop saturation raster resample gamma;
    writing: draft essay headline chapter glossary outline citation newsletter / proofread tone paraphrase plagiarism stanza narrator footnote rewrite;
    sales: lead proposal quote pipeline customer discount demo renewal / churn upsell prospect objection funnel territory quota commission;
    shipping: parcel warehouse pallet route label container shipment inventory / customs freight tracking dispatch restock carrier tariff consignment;
    energy: meter panel battery inverter turbine tariff grid heater / kilowatt insulation amperage thermostat peak curtail voltage phase;
    robotics: motor sensor gripper joint camera controller firmware arm / kinematics calibrate torque odometry servo actuator encoder trajectory;
};

/// What a skill does; the first word of many names and of most sentences.
pub(crate) const VERBS: &[&str] = words!(
    check create review update fix write plan find convert clean build merge compare prepare test measure extract collect sort validate explain draft summarize repair trace import export schedule estimate inspect monitor generate format rename split rewrite restore archive publish sync label translate migrate tune audit reduce verify record simplify diagnose
);

/// Nouns that turn up in every field, most frequent first.
pub(crate) const NOUNS: &[&str] = words!(
    file user step result error line name change output list value input request problem example version time report format section field message number option check order folder rule source type case tool answer size date detail record team text reason state level code owner limit part script link group title note default copy key summary pattern row warning path item range review scope goal risk total word tag cost target setting question choice deadline draft policy comment history backup entry batch queue margin trend threshold habit
);

/// Adjectives that turn up in every field, most frequent first.
pub(crate) const ADJECTIVES: &[&str] = words!(
    new same short clear full open first missing empty safe old large small exact common local final wrong simple broken extra useful single stale strict hidden daily early late stable duplicate partial slow quick shared public private recent current known optional manual automatic remote external nested unclear rare sensitive expensive temporary
);

/// Syllables of the long tail: product names, people, places, words seen in few skills.
const SYLLABLES: &[&str; 64] = words!(
    ba re lo mi tu ka ve no si da fe ro pi lu ga ne wo ti sa bu mo ke ra fi du lan ver tor mel sin gar pol den ris vok tam bel cor nis fal hem dri sto pla gre ple bri zan qui ster mond wick ford lyn dex zor phe cru ano ela umi ost ir ex
);

/// How many different words the long tail holds.
const TAIL: usize = 250_000;

/// Gives a word of the long tail: common ones often, most of them hardly ever.
pub(crate) fn tail_word(random: &mut Random) -> String {
    coin(random.zipf(60, TAIL) as u64)
}

/// Spells the tail word of one rank; different ranks give different spellings of syllables.
fn coin(rank: u64) -> String {
    // An odd factor scrambles 18 bits without losing any, so neighbours do not look alike.
    let mut rest = (rank.wrapping_mul(0x2_9E37)) & 0x7_FFFF;
    let mut word = String::new();
    for _ in 0..3 {
        word.push_str(SYLLABLES[(rest & 63) as usize]);
        rest >>= 6;
    }
    if rest == 1 {
        word.push('s');
    }
    word
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tail_words_read_like_words() {
        let mut random = Random::new(3);
        let words: Vec<String> = (0..6).map(|_| tail_word(&mut random)).collect();
        expect_test::expect!["monddenriss pollusto quitamsas irverbri wokair tucorsins"]
            .assert_eq(&words.join(" "));
    }

    #[test]
    fn the_long_tail_hardly_repeats() {
        let words: std::collections::HashSet<String> = (0..20_000).map(coin).collect();
        assert!(words.len() > 19_000, "{}", words.len());
    }
}
