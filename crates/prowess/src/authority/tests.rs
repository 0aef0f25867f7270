use proptest::prelude::*;

use super::*;

fn judge(authority: &Authority, tool: &str, argument: &str) -> Verdict {
    authority.judge(&Call {
        tool,
        argument: Some(argument),
    })
}

fn authority(permission: Permission, host: &[&str], user: &[&str], asked: &[&str]) -> Authority {
    Authority {
        permission,
        host: Grant::of(host),
        user: Grant::of(user),
        asked: asked.iter().map(|text| Pattern::new(text)).collect(),
        refused: Vec::new(),
    }
}

#[test]
fn the_mode_decides_what_the_list_means() {
    use Verdict::{Allowed, Ask, Denied};
    let cases = [
        (Permission::Preapprove, Allowed, Ask),
        (Permission::Restrict, Allowed, Denied),
        (Permission::Advisory, Ask, Ask),
    ];
    for (permission, inside, outside) in cases {
        let all = authority(permission, &["Bash", "Read"], &["Bash"], &["Bash(git:*)"]);
        assert_eq!(judge(&all, "Bash", "git status"), inside, "{permission:?}");
        assert_eq!(judge(&all, "Bash", "rm -r x"), outside, "{permission:?}");
        assert_eq!(
            judge(&all, "Write", "x"),
            Denied,
            "the host does not offer it"
        );
    }
}

#[test]
fn a_wish_for_everything_gets_what_host_and_user_give() {
    let all = authority(
        Permission::Preapprove,
        &["Bash(git:*)", "Read"],
        &["Bash(git status)", "Read(docs/**)"],
        &["*", "Bash(*)"],
    );
    assert_eq!(judge(&all, "Bash", "git status"), Verdict::Allowed);
    assert_eq!(judge(&all, "Bash", "git push"), Verdict::Ask);
    assert_eq!(judge(&all, "Bash", "rm -rf /"), Verdict::Denied);
    assert_eq!(judge(&all, "Read", "docs/a/b.md"), Verdict::Allowed);
    assert_eq!(judge(&all, "Read", "src/a.rs"), Verdict::Ask);
    assert_eq!(judge(&all, "Unheard", "x"), Verdict::Denied);
}

#[test]
fn what_is_not_known_is_not_granted() {
    let all = authority(
        Permission::Preapprove,
        &["Bash"],
        &["Bash"],
        &["Bash(git:*)"],
    );
    let call = Call {
        tool: "Bash",
        argument: None,
    };
    assert_eq!(all.judge(&call), Verdict::Ask);
    let slip = authority(Permission::Restrict, &["Bash"], &["Bash"], &["Bash(git:*"]);
    assert_eq!(judge(&slip, "Bash", "git status"), Verdict::Denied);
}

#[test]
fn a_skill_can_ask_to_be_kept_from_a_tool() {
    let text =
        "---\nname: a\ndescription: b\nallowed-tools: Bash\ndisallowed-tools: Bash(rm:*)\n---\n";
    let document = prowess_format::parse(text, prowess_format::Profile::Lenient).document;
    let all = Authority {
        user: Grant::everything(),
        ..Authority::default()
    }
    .for_skill(&document);
    assert_eq!(judge(&all, "Bash", "ls"), Verdict::Allowed);
    assert_eq!(judge(&all, "Bash", "rm x"), Verdict::Denied);
}

fn pattern() -> impl Strategy<Value = String> {
    prop_oneof![
        Just("*".to_owned()),
        Just("Bash".to_owned()),
        "(Bash|Read|B\\*)\\((git|ls|\\*|/\\*\\*|a b)(:\\*| \\*)?\\)",
        "[A-Za-z*()?: ]{0,8}",
    ]
}

proptest! {
    #[test]
    fn no_pattern_widens(
        host in prop::collection::vec(pattern(), 0..3),
        user in prop::collection::vec(pattern(), 0..3),
        asked in prop::collection::vec(pattern(), 0..4),
        tool in "Bash|Read|[A-Z]{0,3}",
        argument in prop::option::of("(git|ls|a b)?( [a-z;&|./]{0,6})?"),
    ) {
        let call = Call { tool: &tool, argument: argument.as_deref() };
        let (host, user) = (Grant::of(host), Grant::of(user));
        for permission in [Permission::Preapprove, Permission::Restrict, Permission::Advisory] {
            let mut all = Authority {
                permission,
                host: host.clone(),
                user: user.clone(),
                ..Authority::default()
            };
            for pattern in &asked {
                all.asked.push(Pattern::new(pattern));
                let verdict = all.judge(&call);
                prop_assert!(host.covers(&call) || verdict == Verdict::Denied);
                prop_assert!(verdict < Verdict::Allowed || user.covers(&call));
            }
        }
    }
}
