from threengram.cli.ports import ADMIN, LISTENERS, MOST_REPLICAS, SPAN, Ports


def test_the_ports_follow_from_the_base() -> None:
    ports = Ports(8300)
    listeners = {service: ports.listener(service) for service in LISTENERS}
    assert listeners == {"gateway": 8300, "api": 8301, "embedder": 8302, "cimd": 8303}
    assert (ports.postgres, ports.valkey) == (8310, 8311)
    assert {service: ports.admin(service, 0) for service in ADMIN} == {
        "gateway": 8320,
        "api": 8321,
        "embedder": 8322,
        "cimd": 8323,
        "worker": 8324,
        "beat": 8325,
    }


def test_no_two_processes_share_a_port() -> None:
    ports = Ports(1000)
    taken = [ports.postgres, ports.valkey, *(ports.listener(service) for service in LISTENERS)]
    taken += [
        ports.admin(service, replica, generation)
        for service in ADMIN
        for replica in range(MOST_REPLICAS)
        for generation in range(2)
    ]
    assert len(set(taken)) == len(taken)
    assert max(taken) < 1000 + SPAN


def test_generations_take_turns_between_two_admin_ports() -> None:
    ports = Ports(8300)
    assert [ports.admin("gateway", 1, generation) for generation in range(3)] == [8330, 8430, 8330]
